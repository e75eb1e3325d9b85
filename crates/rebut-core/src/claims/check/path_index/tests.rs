use super::*;

fn index() -> PathIndex {
    let paths = ["src/pool.rs", "src/db/mod.rs", "src/net/mod.rs", "README.md", "docs/My Notes.md", "tests/pool.rs"];
    PathIndex::new(paths.map(str::to_owned), ["/home/me/project".to_owned()])
}

fn found(written: &str) -> String {
    let index = index();
    match index.resolve(written) {
        Resolved::File(at) => index.paths()[at].clone(),
        other => format!("{other:?}"),
    }
}

#[test]
fn a_path_means_the_file_of_that_path_or_the_only_one_that_ends_so() {
    for (written, expected) in [
        ("src/pool.rs", "src/pool.rs"),
        ("./src/../src/pool.rs", "src/pool.rs"),
        ("src\\db\\mod.rs", "src/db/mod.rs"),
        ("/home/me/project/src/pool.rs", "src/pool.rs"),
        ("/src/pool.rs", "src/pool.rs"),
        ("db/mod.rs", "src/db/mod.rs"),
        ("readme.md", "README.md"),
        ("docs/my notes.md", "docs/My Notes.md"),
        ("b/src/pool.rs", "src/pool.rs"),
        ("cat src/pool.rs", "src/pool.rs"),
        ("src", "Folder"),
    ] {
        assert_eq!(found(written), expected, "{written}");
    }
}

#[test]
fn a_path_is_the_same_in_the_spelling_of_markdown_of_a_person_and_from_the_folder_above() {
    let roots = ["/home/me/project", "~/project"].map(str::to_owned);
    let index = PathIndex::new(["src/no_pe.rs", "src/[id].tsx", "src/pool.rs"].map(str::to_owned), roots);
    let found = |written: &str| match index.resolve(written) {
        Resolved::File(at) => index.paths()[at].clone(),
        other => format!("{other:?}"),
    };
    for (written, expected) in [
        ("src/no\\_pe.rs", "src/no_pe.rs"),
        ("src/\\[id\\].tsx", "src/[id].tsx"),
        ("~/project/src/pool.rs", "src/pool.rs"),
        ("$HOME/project/src/pool.rs", "src/pool.rs"),
        ("/home/me/project/../project/src/pool.rs", "src/pool.rs"),
        ("/home/me/./project//src/pool.rs", "src/pool.rs"),
        ("~/other/../project/src/pool.rs", "src/pool.rs"),
        ("project/src/pool.rs", "src/pool.rs"),
        ("Project\\src\\pool.rs", "src/pool.rs"),
        ("project/src/no\\_pe.rs", "src/no_pe.rs"),
        ("project/src", "Folder"),
    ] {
        assert_eq!(found(written), expected, "{written}");
    }
    for written in ["~/src/pool.rs", "~/project/../x.rs", "/home/me/project/../../x.rs", "$HOME/x.rs", "~/../x.rs"] {
        assert_eq!(found(written), "Outside", "{written}");
    }
    for written in ["project/x.rs", "other/src/pools.rs", "src/no\\_there.rs"] {
        assert_eq!(found(written), "Missing(None)", "{written}");
    }
}

#[test]
fn words_before_a_path_belong_to_it_where_a_file_is_called_so() {
    let index = index();
    let found = |lead: &str, path: &str| match index.resolve_behind(lead, path) {
        Resolved::File(at) => index.paths()[at].clone(),
        other => format!("{other:?}"),
    };
    assert_eq!(found("see docs/My", "Notes.md"), "docs/My Notes.md");
    assert_eq!(found("see docs/Your", "Notes.md"), "Missing(None)");
    assert_eq!(found("see the", "src/pool.rs"), "src/pool.rs");
}

#[test]
fn a_name_is_the_same_however_its_letters_are_composed() {
    let index = PathIndex::new(["src/gro\u{308}\u{df}e.rs".to_owned()], []);
    assert_eq!(index.resolve("src/gr\u{f6}\u{df}e.rs"), Resolved::File(0));
    assert_eq!(index.resolve("gr\u{f6}\u{df}e.rs"), Resolved::File(0));
}

#[test]
fn what_could_be_several_files_is_ambiguous_and_what_is_none_is_missing() {
    assert_eq!(found("mod.rs"), r#"Ambiguous(["src/db/mod.rs", "src/net/mod.rs"])"#);
    assert_eq!(found("pool.rs"), r#"Ambiguous(["src/pool.rs", "tests/pool.rs"])"#);
    assert_eq!(found("src/cache.rs"), "Missing(None)");
    assert_eq!(found("lib/pool.rs"), r#"Missing(Some("src/pool.rs"))"#);
}

#[test]
fn a_file_that_people_name_without_its_extension_is_found() {
    for (written, expected) in [
        ("README", "README.md"),
        ("readme", "README.md"),
        ("docs/README", "Missing(None)"),
        ("LICENSE", "Missing(None)"),
        ("pool", "Missing(None)"),
    ] {
        assert_eq!(found(written), expected, "{written}");
    }
    let index = PathIndex::new(["a/CHANGELOG.md", "b/CHANGELOG.md", "LICENSE", "LICENSE.txt"].map(str::to_owned), []);
    let both = ["a/CHANGELOG.md".to_owned(), "b/CHANGELOG.md".to_owned()];
    assert_eq!(index.resolve("CHANGELOG"), Resolved::Ambiguous(both.to_vec()));
    assert_eq!(index.resolve("b/CHANGELOG"), Resolved::File(3));
    assert_eq!(index.resolve("LICENSE"), Resolved::File(0));
}

#[test]
fn a_folder_may_be_written_in_other_letters() {
    let index = PathIndex::new(["src/Net/a.rs".to_owned()], []);
    for (written, folder) in [("SRC", "src"), ("src/net", "src/Net"), ("SRC/NET/", "src/Net")] {
        assert_eq!(index.resolve_alone(written), Resolved::Folder, "{written}");
        assert_eq!(index.folder(written).as_deref(), Some(folder), "{written}");
    }
    assert_eq!(index.folder("net"), None);
}

#[test]
fn files_of_one_name_are_found_without_going_over_them() {
    // To go over all of them for each of the words before a path would take many minutes.
    let index = PathIndex::new((0..40_000).map(|number| format!("pkg{number}/src/index.ts")), []);
    let path = |at: usize| index.paths()[at].as_str();
    for number in 0..5_000 {
        let lead = "as one can plainly see in";
        match index.resolve_behind(lead, &format!("PKG{number}/src/index.ts")) {
            Resolved::File(at) => assert_eq!(path(at), format!("pkg{number}/src/index.ts")),
            other => panic!("{other:?}"),
        }
        let missing = index.resolve_behind(lead, &format!("lib{number}/src/index.ts"));
        assert_eq!(missing, Resolved::Missing(Some("pkg0/src/index.ts".to_owned())));
    }
}

#[test]
fn a_path_that_leads_out_is_never_looked_for() {
    for written in ["../../etc/passwd", "/etc/passwd", "~/.ssh/id_rsa", "C:\\Windows\\win.ini", "src/../../x.rs"] {
        assert_eq!(found(written), "Outside", "{written}");
    }
}

#[test]
fn a_folder_is_the_same_however_it_is_written() {
    let index = index();
    for written in ["src", "src/", "./src", "src//", "src/.", "src/../src", "@src", "a/src", "/home/me/project/src", "/src"]
    {
        assert_eq!(index.folder(written).as_deref(), Some("src"), "{written}");
    }
    assert_eq!(index.folder("src\\db").as_deref(), Some("src/db"));
    assert_eq!(index.folder("/home/me/project").as_deref(), Some(""));
    assert_eq!(index.folder("tests and src"), None);
    assert_eq!(index.resolve_alone("tests and src"), Resolved::Missing(None));
}

#[test]
fn the_files_of_a_folder_stand_together() {
    let index = index();
    let below = |folder: &str| index.paths()[index.below(folder)].to_vec();
    assert_eq!(below("src"), ["src/db/mod.rs", "src/net/mod.rs", "src/pool.rs"]);
    assert_eq!(below("").len(), 6);
    assert_eq!(below("sr").len(), 0);
}
