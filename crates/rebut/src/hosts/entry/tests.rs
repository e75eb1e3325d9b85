//! Entries in settings of all shapes.

use super::*;

const PROGRAM: &str = "/usr/bin/rebut";
const SHAPES: [(&str, Shape); 4] = [
    ("servers", Shape::Servers { kind: Some("stdio") }),
    ("copilot", Shape::Copilot),
    ("opencode", Shape::Opencode),
    ("toml", Shape::Toml),
];

fn put_in(shape: Shape, text: &str) -> String {
    shape.with_server(Path::new("settings"), text, PROGRAM).unwrap()
}

fn taken_out(shape: Shape, text: &str, origin: Origin<'_>) -> Taken {
    shape.without_server(Path::new("settings"), text, origin, PROGRAM).unwrap()
}

fn refused(shape: Shape, text: &str) -> String {
    shape.with_server(Path::new("/s/settings"), text, PROGRAM).unwrap_err().to_string()
}

#[test]
fn an_entry_is_put_in_once_and_taken_out_again() {
    for (name, shape) in SHAPES {
        let text = put_in(shape, "");
        insta::assert_snapshot!(name, text);
        assert_eq!(put_in(shape, &text), text, "a second time changes nothing");
        assert_eq!(taken_out(shape, &text, Origin::Made), Taken::Nothing, "nothing else was there");
        assert_ne!(taken_out(shape, &text, Origin::Unknown), Taken::Nothing, "somebody may want it empty");
    }
}

#[test]
fn everything_else_stays_as_it_is_written() {
    let json = "{\n    // mine\n    \"theme\": \"dark\",\n    \"mcp\": {\n        \"other\": { \"type\": \"local\" }, // keep\n    }\n}\n";
    let text = put_in(Shape::Opencode, json);
    assert!(text.contains("    // mine\n    \"theme\": \"dark\"") && text.contains("// keep"), "{text}");
    assert!(text.contains("\"rebut\": {"), "{text}");
    assert_eq!(taken_out(Shape::Opencode, &text, Origin::Unknown), Taken::Text(json.to_owned()));
    let toml = "# mine\nmodel = \"x\"  # why\n\n[mcp_servers.other]\ncommand = \"o\"\n";
    let text = put_in(Shape::Toml, toml);
    assert!(text.starts_with(toml), "{text}");
    assert_eq!(taken_out(Shape::Toml, &text, Origin::Unknown), Taken::Text(toml.to_owned()));
}

#[test]
fn what_was_there_comes_back_to_the_byte() {
    for json in [
        "",
        "{}",
        "{}\n",
        "{\"a\":1}",
        "{ \"a\": [1, 2] }",
        "{\"mcpServers\":{}}",
        "{\n\t\"mcpServers\": {}\n}",
        "{\r\n}\r\n",
    ] {
        let shape = Shape::Copilot;
        assert_eq!(taken_out(shape, &put_in(shape, json), Origin::Kept(json)), Taken::Text(json.to_owned()), "{json:?}");
    }
    for toml in ["", "\n", "# only this", "a = 1", "[mcp_servers]\n", "a = 1\r\n\r\n[b]\r\n"] {
        let shape = Shape::Toml;
        assert_eq!(taken_out(shape, &put_in(shape, toml), Origin::Kept(toml)), Taken::Text(toml.to_owned()), "{toml:?}");
    }
}

#[test]
fn a_comment_of_any_kind_is_content() {
    for empty in ["{\n  /* mine */\n}\n", "{\n  // mine\n}\n", "/* mine */ {}"] {
        let text = put_in(Shape::Opencode, empty);
        let Taken::Text(left) = taken_out(Shape::Opencode, &text, Origin::Made) else { panic!("{text} is gone") };
        assert!(left.contains("mine") && !left.contains("rebut"), "{left}");
    }
    let text = put_in(Shape::Toml, "# mine\n");
    assert_eq!(taken_out(Shape::Toml, &text, Origin::Made), Taken::Text("# mine\n".to_owned()));
}

#[test]
fn an_entry_of_somebody_else_comes_back_though_the_rest_has_changed() {
    let kept = "{\n  \"mcpServers\": {\n    \"rebut\": { \"command\": \"npx\", \"args\": [\"theirs\"] }\n  }\n}\n";
    let path = Path::new("settings");
    assert_eq!(Shape::Copilot.standing(path, kept, PROGRAM).unwrap(), Standing::Foreign);
    let with = put_in(Shape::Copilot, kept).replacen('{', "{\n  \"theme\": \"dark\",", 1);
    assert!(!with.contains("npx"), "{with}");
    let expected = kept.replacen('{', "{\n  \"theme\": \"dark\",", 1);
    assert_eq!(taken_out(Shape::Copilot, &with, Origin::Kept(kept)), Taken::Text(expected));
    let kept = "[mcp_servers.rebut]\ncommand = \"npx\"\n\n[mcp_servers.rebut.env]\nA = \"b\"\n\n# z\n[z]\na = 1\n";
    let with = put_in(Shape::Toml, kept) + "b = 2\n";
    assert!(!with.contains("npx") && with.contains("# z\n[z]\na = 1\nb = 2\n"), "{with}");
    let Taken::Text(left) = taken_out(Shape::Toml, &with, Origin::Kept(kept)) else { panic!("{with} is gone") };
    let entry = |text: &str| text.parse::<::toml::Table>().unwrap()["mcp_servers"]["rebut"].clone();
    assert_eq!(entry(&left), entry(kept));
    assert!(left.ends_with("a = 1\nb = 2\n"), "{left}");
}

#[test]
fn an_entry_of_an_older_place_is_renewed_and_keeps_what_else_stands_in_it() {
    let json = "{ \"mcpServers\": { \"rebut\": { \"command\": \"/old/rebut\", \"args\": [\"mcp\", \"--wait-seconds\", \"20\"], \"env\": { \"A\": \"b\" } } } }";
    assert_eq!(put_in(Shape::Copilot, json), json.replace("/old/rebut", PROGRAM));
    let json = "{ \"mcp\": { \"rebut\": { \"command\": [\"/old/rebut\", \"mcp\"], \"enabled\": false } } }";
    assert_eq!(put_in(Shape::Opencode, json), json.replace("/old/rebut", PROGRAM));
    let toml = "[mcp_servers.rebut]\ncommand = \"/old/rebut\" # mine\nargs = [\"mcp\"]\nenv_vars = []\ntool_timeout_sec = 90\n\n[mcp_servers.rebut.env]\nA = \"b\"\n";
    assert_eq!(put_in(Shape::Toml, toml), toml.replace("/old/rebut", PROGRAM));
    for toml in [
        "[mcp_servers]\nrebut = { command = \"/old/rebut\", args = [\"mcp\"] }\nother.command = \"o\"\n",
        "[mcp_servers]\nrebut.command = \"/old/rebut\"\nrebut.args = [\"mcp\"]\nother.command = \"o\"\n",
    ] {
        assert_eq!(put_in(Shape::Toml, toml), toml.replace("/old/rebut", PROGRAM));
    }
    let older = "[mcp_servers.rebut]\ncommand = \"/old/rebut\"\nargs = [\"mcp\"]\ntool_timeout_sec = 90";
    let with = put_in(Shape::Toml, older);
    assert!(with.contains("args = [\"mcp\"]\nenv_vars = [\"REBUT_DEPTH\"") && with.ends_with("= 90"), "{with}");
}

#[test]
fn only_an_entry_that_starts_rebut_is_ours() {
    let path = Path::new("settings");
    for (entry, ours) in [
        ("{ \"command\": \"/opt/rebut\", \"args\": [\"mcp\"] }", true),
        ("{ \"command\": \"rebut\", \"args\": [\"mcp\"] }", true),
        ("{ \"command\": \"rebut\", \"args\": [\"serve\"] }", false),
        ("{ \"command\": \"rebut\" }", false),
        ("{ \"command\": \"npx\", \"args\": [\"mcp\"] }", false),
        ("{ \"url\": \"https://rebut.example\" }", false),
        ("\"rebut\"", false),
    ] {
        let text = format!("{{ \"mcpServers\": {{ \"rebut\": {entry} }} }}");
        let standing = Shape::Copilot.standing(path, &text, PROGRAM).unwrap();
        assert_eq!(matches!(standing, Standing::Ours(_)), ours, "{entry}: {standing:?}");
    }
    let text = "[mcp_servers.rebut]\ncommand = \"/opt/mine\"\nargs = [\"mcp\"]\n";
    assert_eq!(Shape::Toml.standing(path, text, PROGRAM).unwrap(), Standing::Foreign);
    assert_eq!(Shape::Toml.standing(path, text, "/x/mine").unwrap(), Standing::Ours("/opt/mine".to_owned()));
}

#[test]
fn settings_in_one_line_stay_in_one_line() {
    let entry = "{\"type\":\"local\",\"command\":\"/usr/bin/rebut\",\"args\":[\"mcp\"],\"tools\":[\"*\"]}";
    for (text, expected) in [
        ("{\"a\":1}", format!("{{\"a\":1,\"mcpServers\":{{\"rebut\":{entry}}}}}")),
        ("{\"mcpServers\":{},\"a\":1}", format!("{{\"mcpServers\":{{\"rebut\":{entry}}},\"a\":1}}")),
        ("{ \"mcpServers\": { \"x\": {} } }\n", format!("{{ \"mcpServers\": {{ \"x\": {{}}, \"rebut\": {entry} }} }}\n")),
    ] {
        assert_eq!(put_in(Shape::Copilot, text), expected);
        assert_eq!(put_in(Shape::Copilot, &expected), expected);
    }
    let with = put_in(Shape::Copilot, "{\"mcpServers\":{},\"a\":1}").replace("\"a\":1", "\"a\":2");
    let left = taken_out(Shape::Copilot, &with, Origin::Kept("{\"mcpServers\":{},\"a\":1}"));
    assert_eq!(left, Taken::Text("{\"mcpServers\":{},\"a\":2}".to_owned()), "the empty object was there before");
    let with = put_in(Shape::Copilot, "{\"a\":1}").replace("\"a\":1", "\"a\":2");
    assert_eq!(taken_out(Shape::Copilot, &with, Origin::Kept("{\"a\":1}")), Taken::Text("{\"a\":2}".to_owned()));
}

#[test]
fn line_ends_a_byte_order_mark_and_a_first_comment_stay() {
    for (shape, text) in [
        (Shape::Copilot, "\u{feff}{\r\n  \"a\": 1\r\n}\r\n"),
        (Shape::Toml, "\u{feff}# first\r\n\r\n[a]\r\nb = 1\r\n"),
        (Shape::Toml, "# first\r\n"),
        (Shape::Toml, "\u{feff}# first\r\n[mcp_servers.rebut]\r\ncommand = \"npx\"\r\n"),
    ] {
        let with = put_in(shape, text);
        assert!(with.contains(PROGRAM) && !with.replace("\r\n", "").contains('\n'), "{with:?}");
        let first = text.lines().next().unwrap();
        assert!(with.starts_with(first) && with.matches('\u{feff}').count() <= 1, "{with:?}");
        assert_eq!(taken_out(shape, &with, Origin::Kept(text)), Taken::Text(text.to_owned()));
    }
    let ours = "# first\n[mcp_servers.rebut]\ncommand = \"rebut\"\nargs = [\"mcp\"]\n\n# second\n[b]\n";
    assert_eq!(taken_out(Shape::Toml, ours, Origin::Unknown), Taken::Text("# first\n\n# second\n[b]\n".to_owned()));
}

#[test]
fn what_is_no_settings_is_left_alone() {
    for (shape, text) in [
        (Shape::Copilot, "[]"),
        (Shape::Copilot, "{ \"mcpServers\": [] }"),
        (Shape::Opencode, "{ \"mcp\": "),
        (Shape::Toml, "mcp_servers = 5"),
        (Shape::Toml, "mcp_servers = { other = {} }"),
        (Shape::Toml, "mcp_servers = { rebut = { command = \"npx\" }, other = {} }"),
        (Shape::Toml, "[mcp_servers]\nrebut.command = \"npx\"\n"),
        (Shape::Toml, "[[mcp_servers.rebut]]\ncommand = \"npx\"\n"),
        (Shape::Toml, "= ="),
    ] {
        let error = refused(shape, text);
        assert!(error.starts_with("/s/settings: ") && error.ends_with("it is left alone"), "{error}");
    }
}

#[test]
fn a_key_that_stands_there_twice_is_refused() {
    let twice = "{ \"mcpServers\": {}, \"a\": 1, \"mcpServers\": {} }";
    assert!(refused(Shape::Copilot, twice).contains("`mcpServers` stands there twice"));
    let twice = "{ \"mcpServers\": { \"rebut\": {}, \"rebut\": {} } }";
    assert!(refused(Shape::Copilot, twice).contains("`rebut` stands there twice"));
}

#[test]
fn an_entry_in_one_line_of_toml_is_taken_out_and_one_by_dotted_keys_is_left_alone() {
    let inline = "[mcp_servers]\nrebut = { command = \"rebut\", args = [\"mcp\"] }\nother = { command = \"o\" }\n";
    let left = "[mcp_servers]\nother = { command = \"o\" }\n";
    assert_eq!(taken_out(Shape::Toml, inline, Origin::Unknown), Taken::Text(left.to_owned()));
    for text in [
        "[mcp_servers]\nrebut.command = \"rebut\"\nrebut.args = [\"mcp\"]\n",
        "mcp_servers = { rebut = { command = \"rebut\", args = [\"mcp\"] }, other = {} }\n",
    ] {
        let error = Shape::Toml.without_server(Path::new("/s"), text, Origin::Unknown, PROGRAM).unwrap_err().to_string();
        assert!(error.contains("is not written as tables"), "{error}");
    }
}
