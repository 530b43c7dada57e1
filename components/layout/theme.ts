export const THEMES = ["system", "light", "dark"] as const;

export type Theme = (typeof THEMES)[number];

/** The cookie that keeps the choice; without it the system's holds. */
export const THEME_COOKIE = "theme";

/** The theme that a cookie's value names; "system" for anything else. */
export function readTheme(value: string | undefined): Theme {
  return THEMES.find((theme) => theme === value) ?? "system";
}
