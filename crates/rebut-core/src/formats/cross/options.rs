//! Which answers can be given to a question, and which one a position takes. A question without options is open, but what
//! partners answer with a plain yes or no is counted.

use crate::evidence::Listing;

/// The position of a partner that takes none of the options.
pub const UNDECIDED: &str = "undecided";

/// The fewest and the most options of a question.
pub const COUNT: std::ops::RangeInclusive<usize> = 2..=12;
/// The longest option, in characters.
const LONGEST: usize = 80;

/// Reads a list of options as it is typed, `a,b,c`, or says why it can't be used.
pub fn read_list(text: &str) -> Result<Vec<String>, String> {
    let options: Vec<String> = text.split(',').map(|option| option.trim().to_owned()).collect();
    let options: Vec<String> = options.into_iter().filter(|option| !option.is_empty()).collect();
    if !COUNT.contains(&options.len()) {
        let (fewest, most) = (COUNT.start(), COUNT.end());
        return Err(format!("a closed question has {fewest} to {most} options, and these are {}", options.len()));
    }
    for (place, option) in options.iter().enumerate() {
        if option.chars().count() > LONGEST || option.chars().any(char::is_control) || plain(option).is_empty() {
            let shown: String = option.chars().take(LONGEST).filter(|c| !c.is_control()).collect();
            return Err(format!("the option `{shown}` must be a short phrase on one line"));
        }
        if plain(option) == UNDECIDED {
            return Err(format!("`{UNDECIDED}` is always possible and can't be an option"));
        }
        if options[..place].iter().any(|other| plain(other) == plain(option)) {
            return Err(format!("the option `{option}` is named twice"));
        }
    }
    Ok(options)
}

/// The positions that are counted: the options, or yes and no if there are none.
pub(super) fn counted(options: &[String]) -> Vec<&str> {
    if options.is_empty() { vec!["yes", "no"] } else { options.iter().map(String::as_str).collect() }
}

/// Whether a position, as it was settled, is counted.
pub(super) fn is_counted(options: &[String], position: &str) -> bool {
    !options.is_empty() || counted(options).contains(&position)
}

/// Holds the position of a list to the options: one of them in its own spelling, or none. Without options a position other
/// than yes or no is a sentence, which stays as it is.
pub(super) fn settle(options: &[String], listing: &mut Listing) {
    let Some(given) = listing.position.take() else { return };
    let undecided = (!options.is_empty()).then_some(UNDECIDED);
    let mut all = counted(options).into_iter().chain(undecided);
    match all.find(|option| plain(option) == plain(&given)) {
        Some(option) => listing.position = Some(option.to_owned()),
        None if options.is_empty() => listing.position = Some(given),
        None => {
            let given: String = given.chars().take(LONGEST).collect();
            listing.dropped.push(format!("position \"{given}\": none of the options"));
        }
    }
}

/// A position in lower case, without marks around it.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ").to_lowercase();
    text.trim_matches(['.', '!', '"', '\'', '`', '*', '(', ')', '[', ']', ' ', ':', ',', '\u{201c}', '\u{201d}']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_from_a_list() {
        assert_eq!(read_list("yes,no").unwrap(), ["yes", "no"]);
        assert_eq!(read_list("TCP/IP, QUIC").unwrap(), ["TCP/IP", "QUIC"]);
        assert_eq!(read_list(" Postgres , SQLite,").unwrap(), ["Postgres", "SQLite"]);
        for (text, why) in [
            ("yes/no", "a closed question has 2 to 12 options, and these are 1"),
            ("a,A", "the option `A` is named twice"),
            ("a,undecided", "`undecided` is always possible and can't be an option"),
            ("a,\"\"", "the option `\"\"` must be a short phrase on one line"),
        ] {
            assert_eq!(read_list(text), Err(why.to_owned()));
        }
    }

    #[test]
    fn a_position_is_one_of_the_options_or_none() {
        let options = read_list("yes,Not yet").unwrap();
        for (given, option) in
            [("**Yes.**", Some("yes")), ("not yet", Some("Not yet")), ("Undecided", Some(UNDECIDED)), ("yes or no", None)]
        {
            let mut listing = Listing { position: Some(given.to_owned()), ..Listing::default() };
            settle(&options, &mut listing);
            assert_eq!(listing.position.as_deref(), option, "{given}");
            assert_eq!(listing.dropped.is_empty(), option.is_some(), "{given}");
        }
        for (given, position) in [("**Yes.**", "yes"), ("Yes, if it is cheap.", "Yes, if it is cheap.")] {
            let mut listing = Listing { position: Some(given.to_owned()), ..Listing::default() };
            settle(&[], &mut listing);
            assert_eq!((listing.position.as_deref(), listing.dropped.len()), (Some(position), 0));
        }
    }
}
