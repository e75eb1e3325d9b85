//! The file itself: its name, its damage, its version.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use rebut_engine::evidence::pin::{Files, Pin, PinError};

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
    for length in [0, 1, 8, 60, 68, whole.len() / 2, whole.len() - 1] {
        assert!(matches!(open(&whole[..length]), Err(PinError::Damaged { .. })), "{length}");
    }
    // Every single byte: either the manifest is refused, or the file whose content it was.
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x20;
        match open(&bytes) {
            Err(PinError::Damaged { .. } | PinError::Version { .. }) => {}
            Err(other) => panic!("{at}: {other}"),
            Ok(opened) => {
                let refused = opened.entries().iter().filter(|entry| opened.read(entry).is_err()).count();
                assert_eq!(refused, 1, "{at}");
            }
        }
    }
    let error = open(b"not a pack, and long enough to have a footer: xxxxxxxxxxxxxxxxxxxxxxxxxxxx").unwrap_err();
    assert!(error.to_string().contains("is no pinned workspace"), "{error}");
    assert_eq!(text(&pin, "README.md"), "# Pool\n");
}

#[test]
fn a_pack_of_a_later_version_is_refused_by_name() {
    let ground = Ground::repository();
    ground.pin();
    let mut bytes = fs::read(ground.pack()).unwrap();
    let version = bytes.len() - 12;
    bytes[version] = 2;
    fs::write(ground.pack(), bytes).unwrap();
    assert!(matches!(Pin::open(&ground.pack()), Err(PinError::Version { version: 2, .. })));
}
