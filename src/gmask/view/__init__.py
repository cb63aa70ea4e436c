"""How an explanation looks: terminal, HTML, LaTeX, figure."""
