"""Sphinx's settings of the book of lessons. `warpcell lessons book` has written this file."""

project = "Warpcell"
html_title = "Warpcell: lessons"
extensions = ["myst_nb"]
# Notebooks as they are, which pages offer for download.
exclude_patterns = ["notebooks"]

# The notebooks are executed already.
nb_execution_mode = "off"
# Formulas are MathML already, and a dollar sign is a dollar sign.
myst_enable_extensions = []
myst_heading_anchors = 4
smartquotes = False
# Magics are not Rust, the glossary has small headings, and beside what a client draws stands a picture.
suppress_warnings = ["misc.highlighting_failure", "myst.header", "mystnb.unknown_mime_type"]

html_theme = "sphinx_book_theme"
# The search is in the sidebar.
html_theme_options = {"use_download_button": False, "navbar_persistent": []}
html_static_path = ["_static"]
html_css_files = ["book.css"]
html_copy_source = False
html_show_sourcelink = False
