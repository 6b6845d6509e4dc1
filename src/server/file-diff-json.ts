import { type Bundle, datafileJson, resourceJson } from "#bundle";

const fileTypes = ["datafile", "resourcefile"] as const;
type FileType = (typeof fileTypes)[number];

export function isFileType(text: string | undefined): text is FileType {
  return fileTypes.some((type) => type === text);
}

/** Both versions of one file, changed or not; undefined when it is in neither bundle. */
export function fileDiffJson(type: FileType, path: string, base: Bundle, head: Bundle): object | undefined {
  return type === "datafile"
    ? datafileJson(path, base.datafiles.get(path), head.datafiles.get(path))
    : resourceJson(path, base.resources.get(path), head.resources.get(path));
}
