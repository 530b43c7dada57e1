import { Monitor, Moon, Sun } from "lucide";
import { THEMES, type Theme } from "#domain/theme.ts";
import { Icon } from "../ui/icon.tsx";

/**
 * The theme switch: system, light or dark. The style sheet reads the checked button, so the theme changes without scripts;
 * a script only stores the choice (`page-behaviour.ts`). Use it once per page: its ids are fixed.
 */
export function ThemeSwitch({ theme }: { theme: Theme }) {
  return (
    <fieldset className="inline-flex gap-0.5 rounded-md border border-line bg-sunken p-0.5">
      <legend className="sr-only">Theme</legend>
      {THEMES.map((name) => (
        <label
          key={name}
          className="relative inline-flex min-h-6 cursor-pointer items-center rounded-sm px-[0.5625rem] text-ink-soft hover:text-ink has-checked:bg-raised has-checked:text-ink has-checked:ring-1 has-checked:ring-line has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name="theme"
            value={name}
            id={`theme-${name}`}
            defaultChecked={name === theme}
            autoComplete="off"
            className="absolute inset-0 cursor-pointer opacity-0"
          />
          <Icon of={ICONS[name]} small />
          <span className="sr-only">{NAMES[name]}</span>
        </label>
      ))}
    </fieldset>
  );
}

const ICONS = { system: Monitor, light: Sun, dark: Moon };
const NAMES: Record<Theme, string> = { system: "System", light: "Light", dark: "Dark" };
