/** How far local time is from UTC between two changes; seconds since 1970, `end` excluded. */
export interface ZonePeriod {
  /** The abbreviation, such as CET; "" if the zone has none. */
  readonly name: string;
  /** Seconds east of UTC. */
  readonly offset: number;
  readonly isDaylight: boolean;
  readonly start: number;
  readonly end: number;
}

export type ZoneKind = Pick<ZonePeriod, "name" | "offset" | "isDaylight">;

export interface ZoneChange {
  readonly when: number;
  readonly kind: ZoneKind;
}
