"""DuckDB."""


class DuckDBEngine: ...
