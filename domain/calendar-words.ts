/** The days of a week in lower case, as `weekdayOf` numbers them. */
export const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** The months of a year in lower case. */
export const MONTHS = [
  ...["january", "february", "march", "april", "may", "june"],
  ...["july", "august", "september", "october", "november", "december"],
];

/** Letters of a name that are enough. */
const LETTERS_MIN = 3;

/** The number of the weekday that begins with `name`, of three letters or more; -1 for none. */
export function weekdayNamed(name: string): number {
  return name.length < LETTERS_MIN ? -1 : WEEKDAYS.findIndex((one) => one.startsWith(name));
}

/** The month, 1 to 12, that begins with `name`, of three letters or more; 0 for none. */
export function monthNamed(name: string): number {
  return name.length < LETTERS_MIN ? 0 : MONTHS.findIndex((one) => one.startsWith(name)) + 1;
}

/** From 29 February 1896 to that of 1904: the years of centuries have none but every fourth time. */
export const YEARS_TO_29_FEB_MAX = 8;

/** A name with a capital. */
export function capital(name = ""): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
