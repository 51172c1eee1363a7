"""Archives whose bytes depend on nothing but their content: sorted entries, one owner, one time."""

import gzip
import io
import tarfile
import time
import zipfile
import zlib


def folders(paths):
    """The folders above these paths, each before what is in it."""
    found = set()
    for path in paths:
        while "/" in path:
            path = path.rpartition("/")[0]
            found.add(path)
    return sorted(found)


def tar(files, when, prefix="", folder_modes=None):
    """`files`: path → (bytes, mode), or the target of a symbolic link."""
    folder_modes = folder_modes or {}
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        def add(path, kind, mode, content=b"", link=""):
            entry = tarfile.TarInfo(path)
            entry.type, entry.mode, entry.size, entry.mtime, entry.linkname = kind, mode, len(content), when, link
            entry.uname = entry.gname = "root"
            archive.addfile(entry, io.BytesIO(content))

        names = {prefix + path: file for path, file in files.items()}
        for folder in sorted({*folders(names), *folder_modes}):
            add(folder, tarfile.DIRTYPE, folder_modes.get(folder, 0o755))
        for path, file in sorted(names.items()):
            if isinstance(file, str):
                add(path, tarfile.SYMTYPE, 0o777, link=file)
            else:
                add(path, tarfile.REGTYPE, file[1], file[0])
    return stream.getvalue()


def compressed(content):
    stream = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=stream, mtime=0) as file:
        file.write(content)
    return stream.getvalue()


def zipped(files, when):
    """`files`: path → (bytes, mode), in the order that they are given."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=zlib.Z_BEST_COMPRESSION) as archive:
        for path, (content, mode) in files.items():
            entry = zipfile.ZipInfo(path, time.gmtime(max(when, 315532800))[:6])
            entry.create_system = 3
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return stream.getvalue()
