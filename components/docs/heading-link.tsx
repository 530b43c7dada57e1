import { Link2 } from "lucide";
import { Icon } from "../ui/icon.tsx";

/** The link beside a heading to itself. */
export function HeadingLink({ id, what }: { id: string; what: string }) {
  return (
    <a href={`#${id}`} aria-label={`Link to ${what}`} className="heading-link">
      <Icon of={Link2} small />
    </a>
  );
}
