import type { IconNode } from "lucide";
import { Icon } from "./icon.tsx";

/** The icon and colour of a state. */
export type StateLook = { icon: IconNode; ink: string };

/** A state as icon, word and colour. */
export function StateWord({ look: { icon, ink }, word }: { look: StateLook; word: string }) {
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap align-middle font-medium text-sm ${ink}`}>
      <Icon of={icon} small />
      {word}
    </span>
  );
}
