/** What the scanner hands to the composer. Numbers, because both compare one for nearly every character of a file. */
export const token = {
  streamEnd: 0,
  /** Its text is the version. */
  versionDirective: 1,
  /** Its text is the handle, its suffix the prefix that the handle stands for. */
  tagDirective: 2,
  documentStart: 3,
  documentEnd: 4,
  blockSequence: 5,
  blockMapping: 6,
  blockEnd: 7,
  flowSequence: 8,
  flowSequenceEnd: 9,
  flowMapping: 10,
  flowMappingEnd: 11,
  blockEntry: 12,
  flowEntry: 13,
  key: 14,
  value: 15,
  alias: 16,
  anchor: 17,
  /** Its text is the handle. */
  tag: 18,
  plain: 19,
  /** A scalar with quotes, or a block scalar: always a string unless a tag says otherwise. */
  quoted: 20,
} as const;

export type Token = (typeof token)[keyof typeof token];
