/** What services need of a log. Facts never hold prompts, audio, keys or file contents. */

export type LogFacts = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Logger {
	debug(message: string, facts?: LogFacts): void;
	info(message: string, facts?: LogFacts): void;
	warn(message: string, facts?: LogFacts): void;
	error(message: string, facts?: LogFacts): void;
}

export const silentLogger: Logger = {
	debug: () => {},
	info: () => {},
	warn: () => {},
	error: () => {},
};
