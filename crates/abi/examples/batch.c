/* Checks the URLs of standard input, one on each line, against a bundle: batch BUNDLE AGENT < URLS */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robomata.h"

static const char *const WORDS[] = {"invalid", "allow", "disallow", "defer", "unknown"};

/* The URLs, one after the other, and where each of them begins. */
static uint8_t urls[1 << 20];
static uint32_t offsets[(1 << 14) + 1];
static RobomataVerdict verdicts[1 << 14];

static void fail(void) {
    const uint8_t *text;
    size_t length;
    robomata_last_error(&text, &length);
    fprintf(stderr, "%.*s\n", (int)length, (const char *)text);
    exit(2);
}

/* Reads a line of at most `size` bytes, without the LF or CRLF at its end. Returns 0 if there are no more lines. */
static int read_line(uint8_t *line, size_t size, size_t *length) {
    int byte;
    *length = 0;
    while ((byte = getc(stdin)) != EOF && byte != '\n') {
        if (byte == '\0' || *length == size) {
            fprintf(stderr, byte == '\0' ? "a line contains a NUL: expected text\n" : "a line is too long\n");
            exit(2);
        }
        line[(*length)++] = (uint8_t)byte;
    }
    if (byte == EOF) {
        return *length > 0;
    }
    if (*length > 0 && line[*length - 1] == '\r') {
        (*length)--;
    }
    return 1;
}

static void judge(const RobomataBundle *bundle, const char *agent, size_t count) {
    int32_t code = robomata_bundle_check_batch(bundle, (const uint8_t *)agent, strlen(agent), urls, offsets[count],
                                               offsets, count, verdicts);
    if (code != ROBOMATA_OK) {
        fail();
    }
    for (size_t i = 0; i < count; i++) {
        printf("%s %" PRIu32 " %.*s\n", WORDS[verdicts[i].verdict], verdicts[i].line,
               (int)(offsets[i + 1] - offsets[i]), (const char *)urls + offsets[i]);
    }
}

int main(int argument_count, char **arguments) {
    const size_t longest = 1 << 13;
    size_t length, count = 0;
    RobomataBundle *bundle;

    if (argument_count != 3) {
        fprintf(stderr, "usage: batch BUNDLE AGENT < URLS\n");
        return 2;
    }
    if (robomata_bundle_open((const uint8_t *)arguments[1], strlen(arguments[1]), &bundle) != ROBOMATA_OK) {
        fail();
    }
    while (read_line(urls + offsets[count], longest, &length)) {
        offsets[count + 1] = offsets[count] + (uint32_t)length;
        count++;
        if (count == sizeof verdicts / sizeof *verdicts || sizeof urls - offsets[count] < longest) {
            judge(bundle, arguments[2], count);
            count = 0;
        }
    }
    if (ferror(stdin)) {
        perror("standard input");
        return 2;
    }
    judge(bundle, arguments[2], count);
    robomata_bundle_free(bundle);
    return 0;
}
