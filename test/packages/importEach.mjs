/**
 * Imports each package that is named, one after the other, and says after each how many threads the process
 * has and which work keeps it alive. A package that is only meant for parts of it is imported by its files.
 */

import { readdirSync } from 'node:fs';

// The native part that it would look for is not shipped.
process.env.MSGPACKR_NATIVE_ACCELERATION_DISABLED = 'true';
const threads = () => (process.platform === 'linux' ? readdirSync('/proc/self/task').length : 0);
// Their pipes are made when they are first looked at, by whomever.
void [process.stdout, process.stderr];
const quiet = { threads: threads(), work: process.getActiveResourcesInfo().length };
const found = {};
for (const name of process.argv.slice(2)) {
	let fault;
	try {
		await import(name);
	} catch (error) {
		fault = error.code ?? error.message;
	}
	await new Promise((resolve) => setImmediate(resolve));
	// Node has threads that come and go; one of the package stays.
	for (let look = 0; look < 50 && threads() > quiet.threads; look++)
		await new Promise((resolve) => setTimeout(resolve, 20));
	found[name] = {
		threads: threads() - quiet.threads,
		work: process.getActiveResourcesInfo().length - quiet.work,
		...(fault === undefined ? {} : { fault }),
	};
}
process.stdout.write(JSON.stringify(found), () => process.exit(0));
