/** Which converter does which pair of scripts of a language. */
