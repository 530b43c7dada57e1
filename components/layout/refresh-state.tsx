import { Pause, Play } from "lucide";
import { Beat } from "../ui/beat.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";

/**
 * How old the page is, and the button that pauses its refresh. `at`: when it was rendered (epoch ms). `isHeld`: the refresh is
 * paused or waits.
 */
export function RefreshState({
  at,
  words,
  isPaused = false,
  isHeld = isPaused,
  onToggle,
}: {
  at: number;
  words: string;
  isPaused?: boolean;
  isHeld?: boolean;
  onToggle?: () => void;
}) {
  return (
    <span className="inline-flex items-center gap-2 text-ink-muted text-xs">
      <Beat of={at} isOn={!isHeld} />
      <span className={isHeld ? "" : "max-sm:sr-only"}>{words}</span>
      <Button
        kind="ghost"
        size="small"
        square
        aria-label={isPaused ? "Resume refresh" : "Pause refresh"}
        title={isPaused ? "Resume refresh" : "Pause refresh"}
        onClick={onToggle}
      >
        <Icon of={isPaused ? Play : Pause} small />
      </Button>
    </span>
  );
}
