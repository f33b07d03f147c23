import stub from "@iabtcf/stub";

stub();
