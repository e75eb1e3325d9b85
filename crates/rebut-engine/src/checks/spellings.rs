//! How the path of the workspace may be written.

use std::path::Path;

/// How the workspace may be written: as it is named, as it really is, as the shell's folder leads to it, maybe through a
/// symlink, and each of them below the home folder as `~/project`.
pub(super) fn spellings(workspace: &Path, shell_folder: Option<&Path>, home: Option<&Path>) -> Vec<String> {
    let mut roots = absolute_spellings(workspace, shell_folder);
    let real = home.and_then(|home| home.canonicalize().ok());
    let homes = || home.into_iter().chain(real.as_deref()).filter(|home| home.is_absolute());
    let below = |root: &String| homes().find_map(|home| Path::new(root).strip_prefix(home).ok().map(Path::to_owned));
    let below = roots.iter().filter_map(below).filter(|below| !below.as_os_str().is_empty());
    let mut own: Vec<String> = below.map(|below| format!("~/{}", below.display())).collect();
    own.dedup();
    roots.extend(own);
    roots
}

fn absolute_spellings(workspace: &Path, shell_folder: Option<&Path>) -> Vec<String> {
    let mut roots = vec![workspace.display().to_string()];
    let Ok(real) = workspace.canonicalize() else { return roots };
    let linked = shell_folder.filter(|folder| folder.is_absolute()).into_iter().flat_map(Path::ancestors);
    let linked = linked.filter(|folder| folder.canonicalize().is_ok_and(|leads_to| leads_to == real));
    for root in std::iter::once(real.as_path()).chain(linked).map(|root| root.display().to_string()) {
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    roots
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_the_shell_came_through_spells_the_workspace_as_well() {
        let ground = tempfile::tempdir().unwrap();
        let above = ground.path().canonicalize().unwrap();
        let (workspace, link) = (above.join("ws"), above.join("link"));
        std::fs::create_dir_all(workspace.join("src")).unwrap();
        std::os::unix::fs::symlink(&workspace, &link).unwrap();
        let told = |folder: &Path| folder.display().to_string();
        let both = vec![told(&workspace), told(&link)];
        assert_eq!(spellings(&workspace, Some(&link), None), both);
        assert_eq!(spellings(&workspace, Some(&link.join("src")), None), both);
        for elsewhere in [None, Some(above.as_path()), Some(Path::new("link")), Some(workspace.as_path())] {
            assert_eq!(spellings(&workspace, elsewhere, None), both[..1], "{elsewhere:?}");
        }
        assert_eq!(spellings(&workspace, None, Some(&above)), [told(&workspace), "~/ws".to_owned()]);
        assert_eq!(
            spellings(&workspace, None, Some(&link)),
            both[..1],
            "a home that leads there is the workspace, not above"
        );
    }
}
