/* Checks URLs against one robots.txt: check FILE AGENT URL... */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robomata.h"

static const char *const WORDS[] = {"invalid", "allow", "disallow", "defer", "unknown"};

/* Says why the last call failed, and ends the program. */
static void fail(void) {
    const uint8_t *text;
    size_t length;
    robomata_last_error(&text, &length);
    fprintf(stderr, "%.*s\n", (int)length, (const char *)text);
    exit(2);
}

static uint8_t *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    size_t room = 1 << 16;
    uint8_t *bytes = (uint8_t *)malloc(room);
    *length = 0;
    if (file == NULL || bytes == NULL) {
        perror(path);
        exit(2);
    }
    for (;;) {
        size_t read = fread(bytes + *length, 1, room - *length, file);
        if (read == 0) {
            break;
        }
        *length += read;
        if (*length == room) {
            room *= 2;
            bytes = (uint8_t *)realloc(bytes, room);
            if (bytes == NULL) {
                perror(path);
                exit(2);
            }
        }
    }
    if (ferror(file)) {
        perror(path);
        exit(2);
    }
    fclose(file);
    return bytes;
}

int main(int count, char **arguments) {
    size_t length;
    uint8_t *body;
    RobomataRobots *robots;
    RobomataRules *rules;
    RobomataText *summary;
    int disallowed = 0;

    if (count < 4) {
        fprintf(stderr, "usage: check FILE AGENT URL...\n");
        return 2;
    }
    if (robomata_abi_version() != ROBOMATA_ABI_VERSION) {
        fprintf(stderr, "expected another version of librobomata\n");
        return 2;
    }
    body = read_file(arguments[1], &length);
    if (robomata_robots_parse(body, length, ROBOMATA_RFC9309, 200, &robots) != ROBOMATA_OK) {
        fail();
    }
    free(body);
    if (robomata_rules_new(robots, (const uint8_t *)arguments[2], strlen(arguments[2]), &rules) != ROBOMATA_OK) {
        fail();
    }
    for (int i = 3; i < count; i++) {
        RobomataVerdict verdict;
        if (robomata_check(rules, (const uint8_t *)arguments[i], strlen(arguments[i]), &verdict) != ROBOMATA_OK) {
            fail();
        }
        printf("%s %" PRIu32 " %s\n", WORDS[verdict.verdict], verdict.line, arguments[i]);
        disallowed |= verdict.verdict != ROBOMATA_ALLOW;
    }
    if (robomata_summary(robots, (const uint8_t *)arguments[2], strlen(arguments[2]), &summary) != ROBOMATA_OK) {
        fail();
    }
    printf("%.*s\n", (int)robomata_text_length(summary), (const char *)robomata_text_data(summary));
    robomata_text_free(summary);
    robomata_rules_free(rules);
    robomata_robots_free(robots);
    return disallowed;
}
