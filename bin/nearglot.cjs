#!/usr/bin/env node
'use strict';
// Starts the server bundle with a Node that can run it. Written for old Nodes, which get here first.
const { spawn } = require('node:child_process');
const { existsSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const bundle = join(root, 'dist', 'server.cjs');
const [major, minor] = process.versions.node.split('.').map(Number);
// All of 23 lacks parts of node:sqlite (or needs a flag for it), and what a system trusts for TLS before 23.10.
const suits = major >= 24 || (major === 22 && minor >= 19);
/** Node as scripts/node.mjs fetches it. */
const runtime = join(root, '.runtime', 'node_modules');
const executable = join('bin', process.platform === 'win32' ? 'node.exe' : 'node');
const fetched = (existsSync(runtime) ? readdirSync(runtime) : [])
	.map((name) => join(runtime, name, executable))
	.find((path) => existsSync(path));

if (!existsSync(bundle)) {
	console.error(
		'nearglot: dist/server.cjs is missing. Run `npm start` (or `npm run build`) once in the project folder.',
	);
	process.exit(1);
} else if (suits) {
	// Started by an old Node, below: when that one is killed nobody else tells.
	if (process.send) {
		process.once('disconnect', () => process.emit('SIGTERM', 'SIGTERM'));
		process.channel.unref();
	}
	require(bundle);
} else if (fetched !== undefined) {
	const server = spawn(fetched, [__filename, ...process.argv.slice(2)], {
		stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
	});
	for (const signal of [
		'SIGINT',
		'SIGTERM',
		'SIGHUP',
		...(process.platform === 'win32' ? ['SIGBREAK'] : []),
	])
		process.on(signal, () => {
			// Windows tells every process of a console itself, and knows no other way but to kill.
			if (process.platform !== 'win32') server.kill(signal);
		});
	server.once('error', (error) => {
		console.error(
			`nearglot: ${fetched} cannot be started (${error.message}). Run \`npm start\` once.`,
		);
		process.exit(1);
	});
	server.once('exit', (code, signal) => {
		if (signal === null) process.exit(code);
		process.removeAllListeners(signal);
		process.kill(process.pid, signal);
	});
} else {
	console.error(
		`nearglot needs Node 22.19 or newer, and not 23; this is ${process.version}. ` +
			'Install a newer Node, or run `npm start` once in a checkout, which fetches one.',
	);
	process.exit(1);
}
