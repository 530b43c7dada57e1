import { routesOfApp } from "#tests/pages/routes.ts";
import { testEveryState } from "./every-state.ts";

testEveryState(routesOfApp("public"));
