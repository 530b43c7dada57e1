export const THEMES = ["system", "light", "dark"] as const;

export type Theme = (typeof THEMES)[number];

/** The theme cookie; without it the system's theme applies. */
export const THEME_COOKIE = "theme";

/** The theme of a cookie value; "system" for any unknown value. */
export function readTheme(value: string | undefined): Theme {
  return THEMES.find((theme) => theme === value) ?? "system";
}
