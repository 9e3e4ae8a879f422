/** Counts the runs of graphs in this process, so that a watcher sees whether it makes progress. */

let made = 0;

/** One run has ended, whichever way. */
export const stepMade = (): void => void made++;

export const stepsMade = (): number => made;
