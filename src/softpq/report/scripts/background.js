// Long work in small pieces, so that the page stays alive.

/**
 * Do long work in small pieces, so that the page stays alive; starting anew ends what went on before.
 */
export class Background {
  /** @param {() => boolean} mayWork whether nothing is more urgent */
  constructor(mayWork) {
    this.run = 0;
    this.mayWork = mayWork;
  }

  /**
   * @template T
   * @param {Generator<undefined, T>} steps @param {(result: T) => void} done
   */
  start(steps, done) {
    const run = ++this.run;
    const work = () => {
      if (run !== this.run) return;
      if (!this.mayWork()) {
        setTimeout(work, 30);
        return;
      }
      const until = performance.now() + 12;
      for (;;) {
        const step = steps.next();
        if (step.done) {
          done(step.value);
          return;
        }
        if (performance.now() > until) break;
      }
      setTimeout(work, 0);
    };
    setTimeout(work, 150); // not while a slider moves
  }
}
