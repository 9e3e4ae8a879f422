/**
 * Imported by each process of tests: sources are stripped of their types once for all of them. Not by the
 * environment, which what they start would inherit.
 */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { root } from './node.mjs';

enableCompileCache(join(root, 'test/.work/compiled'));
