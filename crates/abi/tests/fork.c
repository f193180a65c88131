/* Checks a batch against a bundle, forks, and checks it again in both processes. Prints the lines of all verdicts, added up. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <robomata.h>

#define COUNT 20000

static const char URL[] = "https://example.com/private";
static char urls[COUNT * (sizeof URL - 1)];
static uint32_t offsets[COUNT + 1];
static RobomataVerdict verdicts[COUNT];

static long lines(const RobomataBundle *bundle) {
  if (robomata_bundle_check_batch(bundle, (const uint8_t *)"ExampleBot", 10, (const uint8_t *)urls, sizeof urls, offsets, COUNT,
                                  verdicts) != ROBOMATA_OK) {
    exit(2);
  }
  long sum = 0;
  for (int i = 0; i < COUNT; i++) sum += verdicts[i].line;
  return sum;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  for (int i = 0; i < COUNT; i++) {
    memcpy(urls + i * (sizeof URL - 1), URL, sizeof URL - 1);
    offsets[i + 1] = (uint32_t)((i + 1) * (sizeof URL - 1));
  }
  RobomataBundle *bundle;
  if (robomata_bundle_open((const uint8_t *)argv[1], strlen(argv[1]), &bundle) != ROBOMATA_OK) return 2;
  printf("%ld\n", lines(bundle));
  fflush(stdout);
  pid_t child = fork();
  if (child < 0) return 2;
  if (child == 0) {
    /* A process that waits forever is killed. */
    alarm(60);
    printf("%ld\n", lines(bundle));
    /* What the parent opened can be opened again. */
    RobomataBundle *again;
    if (robomata_bundle_open((const uint8_t *)argv[1], strlen(argv[1]), &again) != ROBOMATA_OK) return 2;
    printf("%ld\n", lines(again));
    robomata_bundle_free(again);
    robomata_bundle_free(bundle);
    return 0;
  }
  int status;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return 1;
  printf("%ld\n", lines(bundle));
  robomata_bundle_free(bundle);
  return 0;
}
