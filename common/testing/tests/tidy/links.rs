//! Tests the links of documents: files, headings, and the summary of the book.
use crate::{none, written};
use halyard_testing::root;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Component, Path, PathBuf},
};

/// A document: the names of its headings in links, and its links.
#[derive(Default)]
struct Document {
    anchors: BTreeSet<String>,
    links: Vec<String>,
}

/// What a heading is called in links: GitHub and mdBook agree on it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn read(text: &str) -> Document {
    let (mut document, mut heading) = (Document::default(), None);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match (&mut heading, event) {
            (_, Event::Start(Tag::Heading { .. })) => heading = Some(String::new()),
            (Some(words), Event::Text(text) | Event::Code(text)) => words.push_str(&text),
            (Some(words), Event::End(TagEnd::Heading(_))) => {
                let name = anchor(words);
                // A second heading of that name gets a number.
                let mut names = (0..).map(|n| if n == 0 { name.clone() } else { format!("{name}-{n}") });
                let free = names.find(|n| !document.anchors.contains(n));
                document.anchors.extend(free);
                heading = None;
            }
            (_, Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. })) => {
                document.links.push(dest_url.into_string());
            }
            _ => {}
        }
    }
    document
}

/// The path without `.` and `..`; `None` if it leads out of the tree.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => normal.push(name),
            Component::ParentDir if normal.pop() => {}
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(normal)
}

fn documents() -> BTreeMap<PathBuf, Document> {
    let markdown = written().filter(|(p, _)| p.extension().is_some_and(|e| e == "md"));
    markdown.map(|(path, text)| (path, read(&text))).collect()
}

/// The file of the tree that a link of a document leads to, and the heading; `None` for the web and drafts.
fn target<'l>(from: &Path, link: &'l str) -> Option<(Option<PathBuf>, &'l str)> {
    if link.is_empty() || link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, heading) = link.split_once('#').unwrap_or((link, ""));
    let folder = from.parent().unwrap_or(Path::new(""));
    Some((if file.is_empty() { Some(from.to_owned()) } else { normal(&folder.join(file)) }, heading))
}

#[test]
fn links_lead_somewhere() {
    let documents = documents();
    let mut findings = Vec::new();
    for (path, document) in &documents {
        for link in &document.links {
            let Some((file, heading)) = target(path, link) else { continue };
            let exists = file.as_ref().is_some_and(|f| root().join(f).exists());
            let known = |f: &PathBuf| documents.get(f).is_some_and(|d| d.anchors.contains(heading));
            if !exists {
                findings.push(format!("{}: `{link}`: there is no such file", path.display()));
            } else if !heading.is_empty() && !file.as_ref().is_some_and(known) {
                findings.push(format!("{}: `{link}`: there is no such heading", path.display()));
            }
        }
    }
    none(findings, "the file or the heading has another name now");
}

#[test]
fn the_book_has_every_document_once() {
    let documents = documents();
    let summary = Path::new("docs/SUMMARY.md");
    let mut listed = BTreeMap::new();
    for link in &documents[summary].links {
        if let Some((Some(file), _)) = target(summary, link) {
            *listed.entry(file).or_insert(0) += 1;
        }
    }
    let twice = listed.iter().filter(|(_, n)| **n > 1).map(|(f, _)| format!("{}: more than once", f.display()));
    let docs = documents.keys().filter(|p| p.starts_with("docs") && *p != summary);
    let missing = docs.filter(|p| !listed.contains_key(*p)).map(|p| format!("{}: not there", p.display()));
    none(twice.chain(missing).collect(), "docs/SUMMARY.md lists the chapters of the book");
}

#[test]
fn headings_have_the_names_that_github_gives_them() {
    let text = "# A `hal-run` page, v2.0\n\n## Twice\n\n## Twice\n\n```sh\n# no heading\n```\n";
    let anchors: Vec<_> = read(text).anchors.into_iter().collect();
    assert_eq!(anchors, ["a-hal-run-page-v20", "twice", "twice-1"]);
}
