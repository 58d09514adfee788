"""Error log of the resident process."""

import asyncio
import io
import logging

from curator.serve.error_log import LocationFormatter

TEXT = "My quokka is called Bruno."


def test_the_log_has_neither_messages_of_errors_nor_values_that_asyncio_prints() -> None:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(LocationFormatter("%(name)s %(message)s"))
    logger = logging.getLogger("asyncio")
    logger.addHandler(handler)
    loop = asyncio.new_event_loop()
    failed = loop.create_future()
    failed.set_exception(ValueError(TEXT))
    try:
        try:
            raise ValueError(TEXT)
        except ValueError as error:
            loop.call_exception_handler({"message": "a task failed", "exception": error, "future": failed})
    finally:
        logger.removeHandler(handler)
        failed.exception()
        loop.close()
    assert out.getvalue().startswith("asyncio a task failed\nValueError at test_error_log.py:")
    assert TEXT not in out.getvalue()
