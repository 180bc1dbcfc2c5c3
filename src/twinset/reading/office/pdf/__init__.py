"""PDF files: a child process finds the lines of their pages, and these become running text.

`child` runs PDFium in a process of its own, `client` asks it; `running` drops page headers, footers
and numbers, `layout` orders columns and joins lines to paragraphs, `hyphens` joins cut words, and
`ocr` reads pages that are pictures.
"""
