/** Set when the installation that serves this package builds it. */
declare const __STOPWATCH_URL__: string;

/** The address of the installation that serves this package; undefined in a package that was built without one. */
export const INSTALLATION_URL: string | undefined =
  typeof __STOPWATCH_URL__ === "undefined" ? undefined : __STOPWATCH_URL__;
