//! `robomata completions` and `robomata man`.

use crate::support::Folder;

#[test]
fn every_shell_has_completions() {
    let folder = Folder::new();
    for (shell, expected) in [
        ("bash", "complete -F _robomata"),
        ("zsh", "#compdef robomata"),
        ("fish", "complete -c robomata"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion:arg-completer[robomata]"),
    ] {
        let ran = folder.run(&format!("completions {shell}"));
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        assert!(ran.out.contains(expected), "{shell}: {expected:?}");
        assert!(ran.out.contains("all-agents"), "{shell} knows the sub-commands' options");
    }
    assert_eq!(folder.run("completions tcsh").code, Some(2));
}

#[test]
fn every_sub_command_has_a_page() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("man1")).unwrap();
    assert_eq!(folder.run("man --to man1").code, Some(0));
    for command in ["check", "filter", "compile", "inspect", "compare", "diff", "man"] {
        let page = folder.read(&format!("man1/robomata-{command}.1"));
        assert!(page.contains(".SH SYNOPSIS") && page.contains(&format!("robomata\\-{command}")), "{page}");
        let ran = folder.run(&format!("man {command}"));
        assert_eq!((ran.code, ran.out), (Some(0), page));
    }
    assert!(folder.read("man1/robomata.1").contains(".TH robomata 1"));
    let check = folder.read("man1/robomata-check.1");
    assert!(check.contains("\nExit codes:\n.nf\n  0  all URLs are allowed\n"), "{check}");
    let ran = folder.run("man nothing");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("expected a sub-command, found 'nothing'"), "{}", ran.err);
}
