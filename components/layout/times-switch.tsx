import type { Times } from "./times.ts";

/**
 * UTC or local times, for all pages: a form that works without scripts. `back` is the page to return to. Use it once per
 * page: its ids are fixed.
 */
export function TimesSwitch({ times, zone, back }: { times: Times; zone: string | undefined; back: string }) {
  return (
    <form
      method="post"
      action="/preferences"
      className="inline-flex gap-0.5 rounded-md border border-line bg-sunken p-0.5"
    >
      <input type="hidden" name="back" value={back} />
      <fieldset className="contents">
        <legend className="sr-only">Times</legend>
        <button id="times-utc" type="submit" name="times" value="utc" aria-pressed={times === "utc"} className={CHOICE}>
          UTC
        </button>
        <button
          id="times-local"
          type="submit"
          name="times"
          value="local"
          aria-pressed={times === "local"}
          title={zone ?? "The browser's time zone"}
          className={CHOICE}
        >
          Local
        </button>
      </fieldset>
    </form>
  );
}

const CHOICE =
  "inline-flex min-h-6 cursor-pointer items-center rounded-sm px-[0.5625rem] text-ink-soft text-xs hover:text-ink " +
  "aria-pressed:bg-raised aria-pressed:font-medium aria-pressed:text-ink aria-pressed:ring-1 aria-pressed:ring-line";
