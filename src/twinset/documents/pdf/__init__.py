"""PDF files: `lines` asks PDFium for the lines of pages, `layout` makes them running text."""
