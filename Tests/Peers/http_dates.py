"""Writes each time in the three forms of RFC 9110, section 5.6.7, and reads them again: a second opinion on HTTP dates.

Input: {"seconds": [784111777, ...]}; output: {"dates": [["Sun, 06 Nov 1994 08:49:37 GMT", ...], ...]}. It fails if Python
reads a date as another time.
"""
import email.utils
import json
import sys
import time


def forms(seconds):
    utc = time.gmtime(seconds)
    return [
        email.utils.formatdate(seconds, usegmt=True),
        time.strftime("%A, %d-%b-%y %H:%M:%S GMT", utc),
        time.asctime(utc),
    ]


dates = []
for seconds in json.load(sys.stdin)["seconds"]:
    texts = forms(seconds)
    for text in texts:
        if email.utils.mktime_tz(email.utils.parsedate_tz(text)) != seconds:
            sys.exit("%s is not %d" % (text, seconds))
    dates.append(texts)
json.dump({"dates": dates}, sys.stdout)
