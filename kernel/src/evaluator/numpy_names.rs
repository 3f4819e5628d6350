//! What NumPy's names are here, for `np.percentile?` and `gpu::percentile?`: the answers of `gpu::lookup`.

// Files of the prelude: the kernel does not depend on its crate.
#[path = "../../../prelude/src/lookup/expressions.rs"]
mod expressions;
#[path = "../../../prelude/src/lookup/page.rs"]
mod page;
#[path = "../../../prelude/src/lookup/search.rs"]
mod search;
#[path = "../../../prelude/src/lookup/shown.rs"]
mod shown;
#[path = "../../../prelude/src/lookup/words.rs"]
mod words;

use super::doc_pages::Page;
use search::Found;

fn look_up(name: &str) -> Found {
    search::look_up(name, strsim::osa_distance)
}

fn page_of(found: &Found) -> Page {
    Page { plain: found.text(), html: found.html() }
}

/// Whether a path is one of NumPy or of a library like it.
fn is_of_numpy(path: &str) -> bool {
    let root = path.split_once('.').map(|(root, _)| root);
    root.is_some_and(|root| root != "gpu" && expressions::ROOTS.contains(&root))
}

/// What the tables have about a name of NumPy, such as `np.percentile`, and our function or method: `gpu::percentile`, `.argmax`.
pub fn of_theirs(path: &str) -> Option<(Page, Option<String>)> {
    let found = is_of_numpy(path).then(|| look_up(path)).filter(|found| found.is_name)?;
    Some((page_of(&found), found.ours()))
}

/// What the tables have about one of our functions, such as `gpu::percentile`.
pub fn of_ours(path: &str) -> Option<Page> {
    let found = path.starts_with("gpu::").then(|| look_up(path))?;
    (found.is_name && !found.rows.is_empty()).then(|| page_of(&found))
}

/// What to say about a name of NumPy that is in no table.
pub fn nearest(path: &str) -> Option<String> {
    is_of_numpy(path).then(|| look_up(path).text())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_numpy_have_pages() {
        let (page, ours) = of_theirs("np.percentile").unwrap();
        assert!(page.plain.contains("gpu::percentile(&a, 25.0)"), "{}", page.plain);
        assert!(page.html.contains("<code>gpu::percentile(&amp;a, 25.0)</code>"), "{}", page.html);
        assert_eq!(ours.as_deref(), Some("gpu::percentile"));
        assert_eq!(of_theirs("cupy.log").unwrap().1.as_deref(), Some(".log"));
        for unknown in ["np.no_such_name", "a.argmax", "percentile", "np", "gpu.sort", ""] {
            assert!(of_theirs(unknown).is_none(), "{unknown}");
        }
        assert!(nearest("np.percentil").unwrap().contains("np.percentile(a, 25)"));
        assert!(nearest("percentil").is_none());
    }

    #[test]
    fn functions_of_ours_have_numpys_names() {
        assert!(of_ours("gpu::linalg::svd").unwrap().plain.contains("np.linalg.svd(a)[1]"));
        assert!(of_ours("gpu::no_such_name").is_none() && of_ours("svd").is_none());
    }
}
