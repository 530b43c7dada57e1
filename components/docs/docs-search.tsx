import { Search } from "lucide";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";

/** A form that searches the documentation. It needs no scripts. */
export function DocsSearch({ q, charsMax }: { q?: string; charsMax: number }) {
  return (
    <search aria-label="Documentation">
      <form action="/docs/search" className="flex items-end gap-1.5">
        <div className="min-w-0 flex-1">
          <TextField
            type="search"
            name="q"
            label="Search the documentation"
            isLabelHidden
            placeholder="Search"
            defaultValue={q}
            maxLength={charsMax}
            enterKeyHint="search"
          />
        </div>
        <Button type="submit" square aria-label="Search" className="min-h-9">
          <Icon of={Search} small />
        </Button>
      </form>
    </search>
  );
}
