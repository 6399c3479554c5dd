namespace pykc {}
