//! The file itself: its name and its damage.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use rebut_engine::workspace::pin::{Files, Pin, PinError};

use crate::ground::{Ground, text};

#[test]
fn the_same_files_give_the_same_pack_under_the_hash_of_its_bytes() {
    let ground = Ground::repository();
    let blobs = ground.root().join("debate/blobs");
    let expected = ground.survey().facts().clone();
    let one = ground.survey().pack(&blobs).unwrap();
    assert_eq!(one.facts, expected, "nothing here is binary, and nothing changed");
    let other = ground.survey().pack(&blobs).unwrap();
    assert_eq!(one, other);
    let pack = ground.pack();
    assert_eq!(pack.file_name().unwrap(), one.hash.as_str());
    assert_eq!(blake3::hash(&fs::read(&pack).unwrap()).to_hex().as_str(), one.hash);
    assert_eq!(fs::metadata(&pack).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_damaged_pack_is_an_error_by_name() {
    let ground = Ground::repository();
    let pin = ground.pin();
    let whole = fs::read(ground.pack()).unwrap();
    let damaged = ground.root().join("damaged");
    let open = |bytes: &[u8]| {
        fs::write(&damaged, bytes).unwrap();
        Pin::open(&damaged)
    };
    for length in [0, 1, 8, 48, 60, whole.len() / 2, whole.len() - 1] {
        assert!(matches!(open(&whole[..length]), Err(PinError::Damaged { .. })), "{length}");
    }
    // Every single byte: either the manifest is refused, or the file whose content it was.
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x20;
        match open(&bytes) {
            Err(PinError::Damaged { .. }) => {}
            Err(other) => panic!("{at}: {other}"),
            Ok(opened) => {
                let refused = opened.entries().iter().filter(|entry| opened.read(entry).is_err()).count();
                assert_eq!(refused, 1, "{at}");
            }
        }
    }
    let error = open(b"not a pack, and long enough to have a footer: xxxxxxxxxxxxxxxxxxxxxxxxxxxx").unwrap_err();
    assert!(error.to_string().contains("is not a pinned workspace"), "{error}");
    assert_eq!(text(&pin, "README.md"), "# Pool\n");
}

#[test]
fn a_manifest_that_names_a_file_outside_is_refused() {
    let ground = Ground::repository();
    ground.pin();
    let whole = fs::read(ground.pack()).unwrap();
    let (body, trailer) = whole.split_at(whole.len() - 48);
    let length = u64::from_le_bytes(*trailer.first_chunk().unwrap());
    let (contents, manifest) = body.split_at(body.len() - usize::try_from(length).unwrap());
    let manifest = String::from_utf8(manifest.to_vec()).unwrap().replace(".gitignore", "../ignored");
    let hash = blake3::hash(manifest.as_bytes());
    let forged = [contents, manifest.as_bytes(), &trailer[..8], hash.as_bytes(), b"rebutpin"];
    let path = ground.root().join("forged");
    fs::write(&path, forged.concat()).unwrap();
    let error = Pin::open(&path).unwrap_err().to_string();
    assert!(error.contains("names a file outside of the workspace"), "{error}");
}
