"""The pages of a report: overview, clusters, one cluster, two documents, deciding, export.

Everything they show and do comes from ``twinset.review``. ``twinset.web.reports`` finds the report
of an address; a threshold above the run's own is part of addresses as ``t``.
"""
