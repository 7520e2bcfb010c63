// Drives Firefox by WebDriver BiDi: node firefox.mjs PROFILE < [{address, steps: [script, ...]}, ...]; prints what each
// script returns, and what the pages complained about.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const PATIENCE = 120_000;

/** Start the browser and wait until it says where it listens. */
function started(profile) {
  const options = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"];
  const firefox = spawn(process.env.FIREFOX ?? "firefox-esr", options, { stdio: ["ignore", "ignore", "pipe"] });
  const address = new Promise((done, failed) => {
    let said = "";
    firefox.stderr.on("data", (chunk) => {
      said += chunk;
      const found = /WebDriver BiDi listening on (ws:\S+)/.exec(said);
      if (found) done(found[1]);
    });
    firefox.on("exit", () => failed(new Error(`Firefox ended: ${said}`)));
  });
  return { firefox, address };
}

class Session {
  constructor(address) {
    this.socket = new globalThis.WebSocket(`${address}/session`);
    this.waiting = new Map();
    this.complaints = [];
    this.last = 0;
    this.socket.onmessage = ({ data }) => this.receive(JSON.parse(data));
    this.open = new Promise((done, failed) => {
      this.socket.onopen = done;
      this.socket.onerror = failed;
    });
  }

  receive(message) {
    if (message.method === "log.entryAdded" && ["error", "warn"].includes(message.params.level))
      this.complaints.push(message.params.text);
    const { done, failed } = this.waiting.get(message.id) ?? {};
    if (message.type === "error") failed?.(new Error(message.message));
    else done?.(message.result);
  }

  send(method, params = {}) {
    const id = ++this.last;
    this.socket.send(JSON.stringify({ id, method, params }));
    return new Promise((done, failed) => this.waiting.set(id, { done, failed }));
  }

  /** What an expression is, as JSON. */
  async evaluate(context, expression) {
    const asked = { expression: `(async () => JSON.stringify(await (${expression})))()`, target: { context } };
    const { result, exceptionDetails } = await this.send("script.evaluate", { ...asked, awaitPromise: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.text}`);
    return result.value === undefined ? null : JSON.parse(result.value);
  }

  /** Wait until an expression is true. */
  async until(context, expression) {
    const end = Date.now() + PATIENCE;
    while (!(await this.evaluate(context, expression))) {
      if (Date.now() > end) throw new Error(`never true: ${expression}`);
      await new Promise((go) => setTimeout(go, 100));
    }
  }
}

async function main() {
  const pages = JSON.parse(readFileSync(0, "utf8"));
  const { firefox, address } = started(process.argv[2]);
  try {
    const session = new Session(await address);
    await session.open;
    await session.send("session.new", { capabilities: {} });
    await session.send("session.subscribe", { events: ["log.entryAdded"] });
    const { contexts } = await session.send("browsingContext.getTree");
    const [{ context }] = contexts;
    const found = [];
    for (const { address: url, steps } of pages) {
      await session.send("browsingContext.navigate", { context, url, wait: "complete" });
      await session.until(context, "document.body.dataset.ready !== undefined");
      const answers = [];
      for (const [wait, script] of steps) {
        await session.until(context, wait);
        answers.push(await session.evaluate(context, script));
      }
      found.push(answers);
    }
    process.stdout.write(JSON.stringify({ found, complaints: session.complaints }));
  } finally {
    firefox.removeAllListeners("exit");
    firefox.kill();
  }
}

await main();
