"""Many pairs: resumable runs, engines, reports."""
