import {
  BookOpen,
  CircleUser,
  Gauge,
  type IconNode,
  KeyRound,
  List,
  Repeat,
  Ruler,
  Shield,
  Signature,
  SlidersHorizontal,
  Timer,
} from "lucide";

export type NavEntry = { href: string; label: string; icon: IconNode; isAdmins?: boolean };

/** The entries of the dashboard's navigation. */
export const NAV_GROUPS: readonly { title?: string; entries: readonly NavEntry[] }[] = [
  {
    entries: [
      { href: "/overview", label: "Overview", icon: Gauge },
      { href: "/schedules", label: "Schedules", icon: Timer },
      { href: "/recurrences", label: "Recurrences", icon: Repeat },
      { href: "/logs", label: "Logs", icon: List },
      { href: "/usage", label: "Usage", icon: Ruler },
    ],
  },
  {
    title: "Developers",
    entries: [
      { href: "/keys", label: "API keys", icon: KeyRound },
      { href: "/signing", label: "Signing secrets", icon: Signature },
      { href: "/relay", label: "Relay settings", icon: SlidersHorizontal },
      { href: "/docs", label: "Docs", icon: BookOpen },
    ],
  },
  {
    title: "Account",
    entries: [
      { href: "/account", label: "Account and billing", icon: CircleUser },
      { href: "/admin", label: "Admin", icon: Shield, isAdmins: true },
    ],
  },
];
