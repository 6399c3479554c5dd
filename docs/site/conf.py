"""The pages of docs/ and the reference of the Python package as a site, made by scripts/build-docs.sh.

Sphinx is the generator that is kept best; it imports the package, and so documents what is compiled, too; and with -W
every reference that leads nowhere is an error. MyST reads Markdown, so that the pages stay what they are elsewhere."""
import pathlib
import re

project = html_title = "pykc"
html_theme = "furo"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "index"
exclude_patterns = ["site"]
myst_heading_anchors = 4
add_module_names = False  # the page says which
autodoc_member_order = "bysource"
autodoc_mock_imports = ["IPython"]
autodoc_typehints = "none"
maximum_signature_line_length = 100
suppress_warnings = ["misc.highlighting_failure"]  # kernels with `…` in place of what does not matter


def without_links_out_of_the_site(app, page, source):
    """Folders and pages elsewhere in the repository are only named. Other files there are copied by MyST."""
    def named(link):
        path = pathlib.Path(app.srcdir, page).parent.joinpath(link["path"]).resolve()
        is_elsewhere = path.exists() and not path.is_relative_to(app.srcdir)
        return link["text"] if is_elsewhere and (path.is_dir() or path.suffix == ".md") else link[0]

    source[0] = re.sub(r"\[(?P<text>[^]]*)\]\((?P<path>\.\./[^)#]*)(#[^)]*)?\)", named, source[0])


def with_table_of_contents(app, page, source):
    """The pages of the site, in the order in which the first one lists them; then others."""
    if page == "index":
        pages = re.findall(r"\]\(([\w/]+)\.md\)", source[0])
        others = {path.stem for path in pathlib.Path(app.srcdir).glob("*.md")} - {"index", *pages}
        source[0] += "\n```{toctree}\n:hidden:\n\n" + "\n".join([*pages, *sorted(others)]) + "\n```\n"


def as_restructured_text(app, what, name, thing, options, lines):
    """Docstrings have code between backticks and no other markup."""
    parts = re.split(r"(`[^`]*`)", "\n".join(lines))
    lines[:] = "".join(f"`{part}`" if part.startswith("`") else re.sub(r"([*_|\\])", r"\\\1", part)
                       for part in parts).split("\n")


def setup(app):
    app.connect("source-read", without_links_out_of_the_site)
    app.connect("source-read", with_table_of_contents)
    app.connect("autodoc-process-docstring", as_restructured_text)
