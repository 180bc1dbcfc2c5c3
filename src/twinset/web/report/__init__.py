"""The pages of a report: overview and export, clusters, two documents and deciding, what can go.

Everything they show and do comes from ``twinset.review``. ``twinset.web.reports`` finds the report
of an address; a threshold above the run's own is part of addresses as ``t``.
"""
