/** Counts the runs of graphs in this process, so that whoever watches it sees whether work goes on. */

let made = 0;

/** One run has ended, whichever way. */
export const stepMade = (): void => void made++;

export const stepsMade = (): number => made;
